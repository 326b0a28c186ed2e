/** Results: the records of a run and their files. The border between what measures and what reports. */
@NullMarked
package io.sluice.perf.result;

import org.jspecify.annotations.NullMarked;
