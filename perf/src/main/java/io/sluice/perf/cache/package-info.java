/**
 * {@code perf cache}: the streaming cache beside other places to keep bytes in, by JMH in processes of its own. The one room
 * of perf that runs a part of Sluice inside the load; uses result, machine and the checkout, and no room uses it.
 */
@NullMarked
package io.sluice.perf.cache;

import org.jspecify.annotations.NullMarked;
