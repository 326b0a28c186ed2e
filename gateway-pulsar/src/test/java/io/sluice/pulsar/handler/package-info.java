@NullMarked
package io.sluice.pulsar.handler;

import org.jspecify.annotations.NullMarked;
