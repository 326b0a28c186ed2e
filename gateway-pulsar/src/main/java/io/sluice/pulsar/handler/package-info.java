/**
 * One class per command; each head says what is supported and where it differs from Apache Pulsar on purpose.
 */
@NullMarked
package io.sluice.pulsar.handler;

import org.jspecify.annotations.NullMarked;
