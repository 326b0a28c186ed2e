/**
 * The port to long-term storage, implemented by the tiering module.
 */
@NullMarked
package io.sluice.store.tier;

import org.jspecify.annotations.NullMarked;
