/**
 * Services shared by the connections, the commands and the admin interface; put together by the root.
 */
@NullMarked
package io.sluice.pulsar.services;

import org.jspecify.annotations.NullMarked;
