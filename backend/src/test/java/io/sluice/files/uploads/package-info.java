@NullMarked
package io.sluice.files.uploads;

import org.jspecify.annotations.NullMarked;
