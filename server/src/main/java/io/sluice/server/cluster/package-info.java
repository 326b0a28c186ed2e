/**
 * A cluster seen from outside, by commands that are no node of it: its first metadata, and how it is. Uses the metadata, the names of
 * bookies and the object store, and no running node.
 */
@NullMarked
package io.sluice.server.cluster;

import org.jspecify.annotations.NullMarked;
