/** Random scripts of transactions, played on Apache Kafka and on our gateway, to be compared answer by answer. */
@NullMarked
package io.sluice.kafka.transaction.scripts;

import org.jspecify.annotations.NullMarked;
