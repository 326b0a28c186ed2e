/**
 * Settings as values: records read from YAML and checked in their constructors. Unknown keys fail. Uses Jackson only.
 */
@NullMarked
package io.sluice.server.config;

import org.jspecify.annotations.NullMarked;
