"""Rows of tables, beside being found one by one.

`many_rows` appends and finds many, `row_removal` removes, `row_order` sorts them, `row_times` knows when they came.
"""
