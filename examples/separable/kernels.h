// Launches, for host code of any compiler.
#pragma once

void setConductivity(float Value);
// One step of heat along a bar of N cells, from Before to After.
void step(const float *Before, float *After, int N);
// The number of cells hotter than Limit, over all calls.
unsigned long long countMelted(const float *Cells, int N, float Limit);
