"""What happens to rows beside being found and appended: `row_removal` removes them, `row_times` knows when they came."""
