/**
 * The HTTP port: health, readiness, metrics, and the routes other modules mount.
 */
@NullMarked
package io.sluice.server.http;

import org.jspecify.annotations.NullMarked;
