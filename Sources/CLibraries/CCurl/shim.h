// The one header that the module `CCurl` is made of.
#pragma once
#include <curl/curl.h>
