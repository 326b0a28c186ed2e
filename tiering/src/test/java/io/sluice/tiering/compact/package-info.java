@NullMarked
package io.sluice.tiering.compact;

import org.jspecify.annotations.NullMarked;
