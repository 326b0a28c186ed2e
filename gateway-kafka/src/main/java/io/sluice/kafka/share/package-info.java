/** Share groups (KIP-932): sessions, what a group has in hand of a partition, and the APIs that fetch and acknowledge. */
@NullMarked
package io.sluice.kafka.share;

import org.jspecify.annotations.NullMarked;
