/**
 * Between virtual threads and the loop: results on their way back, and pauses before a retry.
 */
@NullMarked
package io.sluice.tiering.task;

import org.jspecify.annotations.NullMarked;
