/**
 * Random scripts of transactions and of permissions, for our server and Apache Pulsar: the same calls, and what the client made of the
 * answers.
 */
@NullMarked
package io.sluice.pulsar.scripts;

import org.jspecify.annotations.NullMarked;
