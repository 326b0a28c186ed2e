@NullMarked
package io.sluice.pulsar.dispatch;

import org.jspecify.annotations.NullMarked;
