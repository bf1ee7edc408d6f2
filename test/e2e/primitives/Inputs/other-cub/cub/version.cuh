// The toolkit's CUB, under another version.
#include_next <cub/version.cuh>
#undef CUB_MINOR_VERSION
#define CUB_MINOR_VERSION 77
