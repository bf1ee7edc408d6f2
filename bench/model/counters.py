#!/usr/bin/env python3
"""Prints what Nsight Compute counted, one line a launch.

  counters.py sites REPORT     global sectors and ideal ones, shared wavefronts and
                               ideal ones, for each source line
  counters.py totals REPORT    the metrics of TOTALS

Needs the Python module of Nsight Compute, which is looked for beside ncu.
"""

import collections
import glob
import os
import sys

SITES = [
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
]
TOTALS = [
    "gpu__time_duration.sum",
    "sm__cycles_active.avg",
    "smsp__inst_executed.sum",
    "sm__inst_executed_pipe_alu.sum",
    "sm__inst_executed_pipe_fma.sum",
    "sm__inst_executed_pipe_fp64.sum",
    "sm__inst_executed_pipe_xu.sum",
    "sm__inst_executed_pipe_lsu.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "launch__registers_per_thread",
    "sm__warps_active.avg.per_cycle_active",
]


def findModule():
    for Pattern in ("/opt/nvidia/nsight-compute/*/extras/python",
                    "/usr/local/cuda*/nsight-compute*/extras/python"):
        for Path in sorted(glob.glob(Pattern), reverse=True):
            sys.path.insert(0, Path)
            try:
                import ncu_report
                return ncu_report
            except Exception:
                sys.path.pop(0)
    sys.exit("counters.py: no module ncu_report")


def actionsOf(Report):
    Context = findModule().load_report(Report)
    for R in range(Context.num_ranges()):
        Range = Context.range_by_idx(R)
        for A in range(Range.num_actions()):
            yield Range.action_by_idx(A)


def perLine(Action):
    Lines = collections.defaultdict(lambda: [0] * len(SITES))
    for Index, Name in enumerate(SITES):
        Metric = Action.metric_by_name(Name)
        if Metric is None or not Metric.has_correlation_ids():
            continue
        Places = Metric.correlation_ids()
        for I in range(Metric.num_instances()):
            Value = Metric.as_uint64(I)
            if not Value:
                continue
            Source = Action.source_info(Places.as_uint64(I))
            Line = (f"{os.path.basename(Source.file_name())}:{Source.line()}"
                    if Source else "?")
            Lines[Line][Index] += Value
    return Lines


def main():
    What, Report = sys.argv[1:]
    for Action in actionsOf(Report):
        if What == "sites":
            Text = [f"{Line}={','.join(map(str, Values))}"
                    for Line, Values in sorted(perLine(Action).items())]
        else:
            Metrics = [Action.metric_by_name(Name) for Name in TOTALS]
            Text = [f"{M.as_double():.6g}" if M else "-" for M in Metrics]
        print(Action.name(), *Text)


main()
