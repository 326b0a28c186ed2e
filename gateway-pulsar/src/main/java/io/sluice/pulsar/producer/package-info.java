/**
 * Producers of a partition: who may produce in which access mode, and what each has published. On the container's loop beside the data;
 * everything here is loop only unless it says otherwise.
 */
@NullMarked
package io.sluice.pulsar.producer;

import org.jspecify.annotations.NullMarked;
