/** Kafka's APIs over the access rules of the server: described, made, deleted as ACLs. */
@NullMarked
package io.sluice.kafka.acl;

import org.jspecify.annotations.NullMarked;
