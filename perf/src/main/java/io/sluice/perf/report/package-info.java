/** Reports for people: one HTML page and one workbook of joined runs. Reads results only; measures nothing, asks no clock. */
@NullMarked
package io.sluice.perf.report;

import org.jspecify.annotations.NullMarked;
