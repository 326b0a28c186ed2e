@NullMarked
package io.sluice.tiering.merge;

import org.jspecify.annotations.NullMarked;
