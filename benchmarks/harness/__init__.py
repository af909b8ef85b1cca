"""Measures workloads: one fresh process per measurement, tables, plots and the summary."""
