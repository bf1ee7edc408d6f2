# Manual pages, from --help and NvccOptions.def, and completion for shells.
#
# The pages need help2man and are left out without it. They are as new as the
# programs.

set(NvccOptionsDef ${PROJECT_SOURCE_DIR}/tools/gridspan++/NvccOptions.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${NvccOptionsDef})

# gridspan_nvcc_options(result macro): the rows of NVCC_<macro> in the table.
function(gridspan_nvcc_options Result Macro)
  file(READ ${NvccOptionsDef} Text)
  string(REGEX MATCHALL "\nNVCC_${Macro}\\([^()]*\\)" Rows "${Text}")
  list(TRANSFORM Rows REPLACE "\nNVCC_${Macro}\\(|\\)$" "")
  list(TRANSFORM Rows REPLACE "\n *" " ")
  set(${Result} ${Rows} PARENT_SCOPE)
endfunction()

set(GRIDSPAN_COMPLETED_OPTIONS "")
set(GRIDSPAN_NVCC_PAGE "")
set(TextOPTION "These mean what they mean to nvcc:")
set(TextRENAMED "These are other names of options of clang:")
set(TextLIST "The same for each value of a list:")
set(TextIGNORED "These are accepted, without effect:")
set(TextIGNORED_SAID "These are accepted without effect, which is said once:")
set(TextREFUSED "These are errors:")
foreach(Kind OPTION RENAMED LIST IGNORED IGNORED_SAID REFUSED)
  gridspan_nvcc_options(Rows ${Kind})
  set(List "")
  set(Separator "")
  foreach(Row ${Rows})
    string(REGEX MATCH "^\"([^\"]*)\", ([A-Za-z]*)" Found "${Row}")
    set(Spelling ${CMAKE_MATCH_1})
    set(Takes "")
    if(CMAKE_MATCH_2 STREQUAL "Value")
      set(Takes " value")
    elseif(Kind STREQUAL "LIST")
      set(Takes " value[,value]")
    endif()
    if(NOT Kind STREQUAL "REFUSED")
      string(APPEND GRIDSPAN_COMPLETED_OPTIONS " ${Spelling}")
    endif()
    string(REPLACE "-" "\\-" Bold "\\fB${Spelling}\\fR${Takes}")
    string(REGEX MATCH "\"([^\"]*)\"$" Found "${Row}")
    if(Kind STREQUAL "REFUSED" OR Kind STREQUAL "RENAMED"
       OR Kind STREQUAL "LIST")
      string(REPLACE "-" "\\-" Meaning "${CMAKE_MATCH_1}")
      string(APPEND List ".TP\n${Bold}\n${Meaning}\n")
    else()
      string(APPEND List "${Separator}${Bold}")
      set(Separator ",\n")
    endif()
  endforeach()
  string(APPEND GRIDSPAN_NVCC_PAGE ".PP\n${Text${Kind}}\n${List}\n")
endforeach()

set(Completion ${PROJECT_BINARY_DIR}/completion)
configure_file(packaging/completion/gridspan.bash.in
  ${Completion}/gridspan++ @ONLY)
configure_file(packaging/completion/gridspan.zsh.in
  ${Completion}/_gridspan @ONLY)
install(FILES ${Completion}/gridspan++
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
install(FILES ${Completion}/gridspan++ RENAME gridspan-advice
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
install(FILES ${Completion}/_gridspan
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions)

find_program(GRIDSPAN_HELP2MAN help2man)
if(NOT GRIDSPAN_HELP2MAN)
  message(STATUS "help2man not found: no manual pages")
  return()
endif()
set(Pages "")
set(PageFolder ${PROJECT_BINARY_DIR}/man)
foreach(Program gridspan++ gridspan-advice gridspan-trace)
  set(More ${PageFolder}/${Program}.h2m)
  configure_file(packaging/man/${Program}.h2m.in ${More} @ONLY)
  add_custom_command(OUTPUT ${PageFolder}/${Program}.1
    # The version is given, because gridspan++ asks the toolkit for the rest.
    COMMAND ${GRIDSPAN_HELP2MAN} --no-info --no-discard-stderr
      --version-string=${PROJECT_VERSION} --source=Gridspan --include=${More}
      --output=${PageFolder}/${Program}.1 $<TARGET_FILE:${Program}>
    DEPENDS ${Program} ${More} VERBATIM
    COMMENT "Manual page of ${Program}")
  list(APPEND Pages ${PageFolder}/${Program}.1)
endforeach()
add_custom_target(manual ALL DEPENDS ${Pages})
install(FILES ${Pages} packaging/man/gridspan-fatbinary.1
  packaging/man/gridspan-ptxas.1
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
