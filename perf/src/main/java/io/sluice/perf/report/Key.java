package io.sluice.perf.report;

import io.sluice.perf.report.Palette.Ink;

/**
 * Colour, mark and name of a line.
 *
 * @param dashed for all origins but the newest
 */
record Key(String label, Ink ink, boolean dashed) {}
