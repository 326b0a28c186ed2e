/**
 * The process: the command line, and the wiring of all parts by their constructors, top to bottom. Nothing else knows every module.
 */
@NullMarked
package io.sluice.server;

import org.jspecify.annotations.NullMarked;
