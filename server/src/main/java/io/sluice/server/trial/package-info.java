/** Load of both protocols for the trial run that makes the AOT cache. */
@NullMarked
package io.sluice.server.trial;

import org.jspecify.annotations.NullMarked;
