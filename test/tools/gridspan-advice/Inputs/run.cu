// a kernel of a test
__global__ void slow(P *p) {
  p[i].x = 1;
  p[i].y = 2;
}
