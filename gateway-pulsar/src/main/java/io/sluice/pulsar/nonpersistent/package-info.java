/**
 * Topics whose messages are not kept: which node has one, how many partitions it has, who produces and consumes there. Any thread; a lock
 * for each topic.
 */
@NullMarked
package io.sluice.pulsar.nonpersistent;

import org.jspecify.annotations.NullMarked;
