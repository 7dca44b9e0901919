@NullMarked
package io.sluice.files.sending;

import org.jspecify.annotations.NullMarked;
