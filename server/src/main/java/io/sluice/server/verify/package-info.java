/**
 * The offline check of a data folder: metadata, log, container states, tier. Changes nothing.
 */
@NullMarked
package io.sluice.server.verify;

import org.jspecify.annotations.NullMarked;
