/**
 * How bytes of segments lie in an object, and how objects are named. Pure.
 */
@NullMarked
package io.sluice.tiering.format;

import org.jspecify.annotations.NullMarked;
