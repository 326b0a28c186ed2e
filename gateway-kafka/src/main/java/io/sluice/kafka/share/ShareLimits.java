package io.sluice.kafka.share;

import io.sluice.broker.log.Isolation;
import org.apache.kafka.coordinator.group.ShareGroupAutoOffsetResetStrategy;

/**
 * Settings of a share group, as they are at the moment.
 *
 * @param lockMillis for which a member has a record in hand
 * @param deliveries of a record, after which it is given to nobody any more
 * @param locks offsets from the first record that is not done with up to the last that was delivered, about
 * @param renews whether members may ask for more time
 * @param start where the group begins in a partition that it has not read
 */
record ShareLimits(
        int lockMillis,
        int deliveries,
        int locks,
        boolean renews,
        Isolation isolation,
        ShareGroupAutoOffsetResetStrategy start) {}
