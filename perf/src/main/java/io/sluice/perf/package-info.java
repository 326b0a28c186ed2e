/**
 * Load with stock clients, and what it cost the server. Shares nothing with the server but the wire: it runs in a process of
 * its own, against any Kafka, Pulsar or Pravega server.
 */
@NullMarked
package io.sluice.perf;

import org.jspecify.annotations.NullMarked;
