/** Every answer of the HTTP interface beside Apache Pulsar's: one scenario, its answers as Pulsar gave them, what differs and why. */
@NullMarked
package io.sluice.pulsar.answers;

import org.jspecify.annotations.NullMarked;
