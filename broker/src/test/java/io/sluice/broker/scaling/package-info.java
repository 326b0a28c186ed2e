@NullMarked
package io.sluice.broker.scaling;

import org.jspecify.annotations.NullMarked;
