/** Owns following: one tail per file, and whoever follows it in step or at their own pace; never knows who may. */
@NullMarked
package io.sluice.logs.follow;

import org.jspecify.annotations.NullMarked;
