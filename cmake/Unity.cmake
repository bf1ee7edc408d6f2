# Unity builds of libraries, for builds from nothing: several sources are one
# translation unit, so that templates are instantiated once for all of them. The
# runtime takes a quarter of the time so with sanitizers. Where one source changes
# again and again, its own translation unit is sooner done. Two sources that use a
# name of their own for different things do not go together: gridspan_compile_alone().
option(GRIDSPAN_UNITY "Compile several sources of a library together" OFF)

# gridspan_unity(target)
function(gridspan_unity Target)
  if(GRIDSPAN_UNITY)
    set_target_properties(${Target} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()

# gridspan_compile_alone(target sources...): each in a translation unit of its own.
function(gridspan_compile_alone Target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${Target}
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
