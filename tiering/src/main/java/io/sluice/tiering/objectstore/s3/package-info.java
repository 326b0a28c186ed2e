/**
 * Objects in an S3 bucket, by the AWS SDK's blocking client. The only room that knows the SDK; {@link S3Tier} opens it.
 */
@NullMarked
package io.sluice.tiering.objectstore.s3;

import org.jspecify.annotations.NullMarked;
