/**
 * Topic names, the catalogue of topics, and which segment in which container holds a partition.
 */
@NullMarked
package io.sluice.broker.topic;

import org.jspecify.annotations.NullMarked;
