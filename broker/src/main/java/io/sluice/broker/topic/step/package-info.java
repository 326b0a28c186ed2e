/** Steps of changes of topics in one container: moves of partitions, subscriptions of new ones. Each has a form for the way to another node. */
@NullMarked
package io.sluice.broker.topic.step;

import org.jspecify.annotations.NullMarked;
