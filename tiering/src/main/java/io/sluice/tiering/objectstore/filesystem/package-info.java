/**
 * Objects as files of a directory tree: the tier of a single node. The only room that touches files.
 */
@NullMarked
package io.sluice.tiering.objectstore.filesystem;

import org.jspecify.annotations.NullMarked;
