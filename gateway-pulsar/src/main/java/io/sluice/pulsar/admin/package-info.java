/**
 * The REST interface that Pulsar's clients and admin client use, as handlers of a Vert.x router.
 */
@NullMarked
package io.sluice.pulsar.admin;

import org.jspecify.annotations.NullMarked;
