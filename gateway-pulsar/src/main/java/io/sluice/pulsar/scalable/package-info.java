/**
 * Scalable topics as Pulsar 5's clients see them: layouts, who watches them, and who reads which segment; and who
 * watches where the transaction coordinators are.
 */
@NullMarked
package io.sluice.pulsar.scalable;

import org.jspecify.annotations.NullMarked;
