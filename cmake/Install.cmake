# What `cmake --install` puts where, and find_package(Gridspan).
include(CMakePackageConfigHelpers)

set_target_properties(gridspan_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(Gridspan PROPERTIES EXPORT_NAME plugin)
set_target_properties(GridspanClang PROPERTIES EXPORT_NAME clang_plugin)
set_target_properties(gridspan++ PROPERTIES EXPORT_NAME driver)
# libLLVM may be outside the loader's folders.
set_target_properties(
  gridspan++ gridspan-advice Gridspan gridspan_runtime_shared PROPERTIES
  INSTALL_RPATH_USE_LINK_PATH ON)

install(TARGETS gridspan_cuda_names ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS
  gridspan_runtime gridspan_runtime_shared gridspan_ranges Gridspan GridspanClang
  gridspan++ gridspan-advice gridspan-trace gridspan-fatbinary gridspan-ptxas
  EXPORT GridspanTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The ABI that compiled programs and the runtime share.
install(DIRECTORY include/gridspan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(Target gridspan_runtime gridspan_runtime_shared)
  target_include_directories(${Target} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/gridspan
  DESTINATION ${CMAKE_INSTALL_LIBDIR})

# What people read. Links between the documents stay as they are.
set(GridspanDocs ${CMAKE_INSTALL_DATAROOTDIR}/doc/gridspan)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE
  DESTINATION ${GridspanDocs})
install(DIRECTORY docs examples DESTINATION ${GridspanDocs})
install(FILES packaging/copyright DESTINATION ${GridspanDocs})

set(ConfigFolder ${CMAKE_INSTALL_LIBDIR}/cmake/Gridspan)
install(EXPORT GridspanTargets NAMESPACE Gridspan:: DESTINATION ${ConfigFolder})
configure_package_config_file(cmake/GridspanConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/GridspanConfig.cmake
  INSTALL_DESTINATION ${ConfigFolder}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/GridspanConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/GridspanConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/GridspanConfigVersion.cmake
  DESTINATION ${ConfigFolder})
