/**
 * The broker put together: topics, partitions and what rides their segments. Protocol-free; the gateways stand on it.
 */
@NullMarked
package io.sluice.broker;

import org.jspecify.annotations.NullMarked;
