"""Options of the stand-in's backend: num_warps, num_stages, num_ctas."""
