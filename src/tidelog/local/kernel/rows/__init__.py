"""What happens to rows beside being found: `row_removal` removes, `row_order` sorts them, `row_times` knows when they came."""
