/** The port to the other nodes: which there are, where clients reach them, who owns which container. */
@NullMarked
package io.sluice.broker.cluster;

import org.jspecify.annotations.NullMarked;
