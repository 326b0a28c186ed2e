@NullMarked
package io.sluice.kafka.share;

import org.jspecify.annotations.NullMarked;
