# cpack makes a Debian package: what is installed, below /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gridspan)
set(CPACK_PACKAGE_VENDOR Gridspan)
set(CPACK_PACKAGE_CONTACT "Gridspan developers <gridspan@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "compiler that runs CUDA programs on every GPU of the machine")
set(CPACK_PACKAGE_DESCRIPTION
  "An ordinary single-GPU CUDA program, recompiled with gridspan++, runs on every
GPU of the machine and on data larger than their memory, with the same results.
Where there is no GPU it runs on CPU devices.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# Libraries as dpkg-shlibdeps finds them, but for LLVM's, which it looks up under
# the name of the development package. gridspan++ runs clang of the LLVM that the
# plugin was built for, and that brings the linker. Nobody needs Boost: the archive
# is in the package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "clang-${LLVM_VERSION_MAJOR}, libllvm${LLVM_VERSION_MAJOR}")
# NVIDIA's packages: the toolkit may also be there without one.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "cuda-toolkit-${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR}")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake (>= 3.25)")
include(CPack)
