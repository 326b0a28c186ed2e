/** What every module's tests share: a buffer that is dropped without being released fails the test class. */
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
