/**
 * Settings of the gateway, as values. Uses nothing of the gateway.
 */
@NullMarked
package io.sluice.pulsar.config;

import org.jspecify.annotations.NullMarked;
